/** A line that starts with `#` and no single blank is a setting: without its `#` the whole is a valid configuration. */
export const configTemplate = `# Lockstep's configuration. Every key may be left out; what stands here behind a # are the defaults, and examples where
# the default is nothing. Take the # away from what you want to change. A key that Lockstep does not know is an error.

#version: 1

# The branch that work is merged into. null: the one that is checked out when a session starts.
#base_branch: null

# Where tasks, locks and events are kept: in .git/lockstep.
#store: sqlite

# What becomes of proven work. local: the base moves here; pr: a pull request; none: it stops at proven branches.
#integrate: local

# Where the project's checks run when several changes are integrated together. tip: once, on the last merge; only if that
# fails, on every merge, to find the change to refuse. each: always on every merge.
#proof: tip

# A task may set its own.
#limits:
#  max_parallel: 4                            # tasks in progress at once
#  max_review: 4                              # tasks in review before no more are started
#  max_active: 8                              # both together
#  max_proofs: null                           # checks that run side by side; null: one for every two cores
#  batching: continuous                       # continuous: free slots are filled at once; batch: one batch after the other
#  review_retries: 3                          # rejected work comes back so often
#  same_error: 3                              # the same error so often in a row is a loop
#  stalled_cycles: 2                          # cycles without progress before you are asked
#  delegation_depth: 2                        # agents that start agents
#  skew_seconds: 30                           # how far a clock may be ahead
#  widen: ask                                 # who grants more scope: ask (you), auto, never
#  tokens: { warn: 35000, halt: 50000 }       # generated plus uncached input, of one task
#  minutes: { warn: 10, halt: 15 }
#  cost_usd: { warn: null, halt: null }

# Who works. Without any, the first client on PATH: claude, codex, gemini, opencode, copilot. \`adapter: command\` is a
# program of your own: it reads one JSON document and works in its checkout.
#agents:
#  coder:
#    adapter: claude                          # claude, codex, gemini, opencode, copilot, command
#    role: Coder
#    model: null                              # null: the client's own choice
#    args: []                                 # further arguments for the client
#    env: {}
#    escalate_to: null                        # the agent that takes over where this one fails
#    fallback: null                           # the agent to use where this one cannot start
#    rework: resume                           # after a rejection: resume its conversation, or start fresh
#  tests: { adapter: command, role: QA, run: ["node", "agents/qa.mjs"] }

# What runs around the work of a task, in this order, at four points: before_submit, after_submit, before_merge,
# after_merge. A hook is
# - a name: rebase_on_main (brings the base in), run_tests (the project's tests must pass), create_pr (a pull request,
# with \`integrate: pr\`), gatekeeper (other agents look at the work)
# - a name with parameters: { gatekeeper: [qa, architecture] }
# - a program of your own that speaks the hook contract: { command: ["node", "hooks/mine.mjs"] }
# A failing hook before a submission goes back to the agent once; before a merge it rejects the work. Those of an agent
# come before those of its task type, and those before these. null goes on to the next level, an empty list does not.
#hooks:
#  before_submit: [rebase_on_main, create_pr]
#  after_submit: null
#  before_merge: null
#  after_merge: null

# What to do with a hook's name that nobody knows: error, or warn and skip it.
#unknown_hooks: error

# Kinds of tasks: a task's \`type\` names one. Each has its own hooks, and its own agents: implementers do the work,
# gatekeepers look at it. null: all agents.
#task_types:
#  product:
#    hooks:
#      before_submit: [rebase_on_main, run_tests, create_pr]
#      before_merge: [{ gatekeeper: [qa, architecture] }]
#    agents: { implementer: [coder], gatekeeper: [tests] }

# Checkouts of agents and checks. setup: commands in a new one, such as ["npm ci"], null: found from manifests and lock
# files; include: ignored files and folders that it gets a copy of; env_pass: variables that agents and checks see;
# home: paths in the home folder that checks may write.
#workspace: { setup: null, include: [.env], env_pass: [PATH, HOME, LANG], home: [], keep: 5 }

# What must pass on every merged tree. auto: found from the project's files; flaky: those whose second run counts.
#checks: { default: [auto], full: [], flaky: [] }

# Changes that weaken the tests they are judged by. weaken: ask (you decide), refuse, allow; material: further files that
# tests are made of (globs); ignore: files that look like tests and are not.
#tests: { weaken: ask, material: [], ignore: [] }

# What is looked at when several tasks are merged together, each: auto, off or { command: [...] }.
#gate:
#  tests: auto
#  syntax: auto
#  imports: auto
#  conventions: auto
#  cross_reference: auto

# Named things, and how many tasks may use each at the same time.
#resources: { database: 1 }

# Hooks in people's own sessions with a client.
#guard:
#  root: null                                 # where logs, reports and tmp lie: null: in .git/lockstep
#  on_deny: refuse                            # refuse the write, or block the task
#  unclaimed: deny                            # a subagent without a task writes nothing; locked: nothing that is locked
#  opaque: sandbox                            # what cannot be read: run inside the lock, verify afterwards, or deny
#  protected: []                              # further paths that no agent may write
#  coordination: []                           # further files that an orchestrator may always read
#  on_error: closed                           # a guard that fails refuses; open: it lets pass
#  idle_minutes: 30                           # when the warm process ends
# Programs that the guard does not know: what they write and run, by their options and operands. They add to what it
# knows, and take nothing from it. The examples are checked: \`lockstep explain --why\` shows which row decided what.
#  programs:
#    - names: gen-client                      # names apart by spaces
#      values: c,config                       # options with a value: names of one option joined by commas
#      folders: o,out                         # options whose value is written: files, folders
#      writes: operands                       # operands, first, second, last, after-first, after-second
#      when: w,write                          # written only with one of these
#      match: ["gen-client -c x.yml -o src/api -> src/api", "gen-client -w a.ts -> a.ts"]
#      no_match: ["gen-client -c x.yml a.ts"] # finds nothing

# How the person hears that a decision waits, besides the bell of a terminal. The command gets it as JSON on stdin and
# as LOCKSTEP_DECISION (its id), LOCKSTEP_DECISION_KIND, LOCKSTEP_DECISION_TASK and LOCKSTEP_DECISION_TEXT, and has 10 s.
# An example: { command: [sh, -c, 'notify-send Lockstep "$LOCKSTEP_DECISION_TEXT"'] }
#notify: { command: null }

# Walls around agents and checks (bubblewrap). auto: where there is one; required: nothing runs without; strict: tracked
# paths outside the lock are read-only too; off.
#sandbox: auto

# Agents' worklogs. keep: beside the session; commit: merged with the work.
#worklogs: keep

# Whether the session's folder below .agents-work/ is committed.
#session: { commit: false }

# web, api, cli, lib or mixed.
#project_type: mixed
`;
