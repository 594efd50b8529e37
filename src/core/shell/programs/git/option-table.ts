/**
 * Every long option of git's subcommands, as git 2.39.5 lists them: `name=` takes a value, `name!` has no
 * `--no-name`. Written by scripts/git-options.ts.
 */
export const gitOptions = {
  am: "interactive binary 3way quiet signoff utf8 keep keep-non-patch message-id keep-cr! no-keep-cr! scissors quoted-cr=! whitespace= ignore-space-change ignore-whitespace directory= exclude= include= patch-format= reject resolvemsg= continue! resolved! skip! abort! quit! show-current-patch! allow-empty! committer-date-is-author-date ignore-date rerere-autoupdate gpg-sign empty=! rebasing",
  apply:
    "exclude=! include=! no-add stat allow-binary-replacement binary numstat summary check index intent-to-add cached unsafe-paths apply 3way build-fake-ancestor= whitespace= ignore-space-change ignore-whitespace reverse unidiff-zero reject allow-overlap verbose quiet inaccurate-eof recount directory= allow-empty",
  archive: "output= remote= exec=",
  branch:
    "verbose quiet track set-upstream set-upstream-to= unset-upstream color remotes contains! no-contains! with! without! abbrev all delete move copy list show-current create-reflog edit-description force merged! no-merged! column sort= points-at= ignore-case recurse-submodules format=",
  bugreport: "diagnose output-directory= suffix=",
  checkout:
    "guess overlay quiet recurse-submodules progress merge conflict= detach track force orphan= overwrite-ignore ignore-other-worktrees ours! theirs! patch ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul",
  "checkout-index": "all ignore-skip-worktree-bits force quiet no-create index stdin temp prefix= stage=!",
  "cherry-pick":
    "quit! continue! abort! skip! cleanup= no-commit edit signoff mainline= rerere-autoupdate strategy= strategy-option= gpg-sign ff allow-empty allow-empty-message keep-redundant-commits",
  clean: "quiet dry-run force interactive exclude=!",
  clone:
    "verbose quiet progress reject-shallow no-checkout bare naked mirror local no-hardlinks shared recurse-submodules recursive jobs= template= reference= reference-if-able= dissociate origin= branch= upload-pack= depth= shallow-since= shallow-exclude= single-branch no-tags shallow-submodules separate-git-dir= config= server-option= ipv4 ipv6 filter= also-filter-submodules remote-submodules sparse bundle-uri=",
  commit:
    "quiet verbose file= author= date= message= reedit-message= reuse-message= fixup= squash= reset-author trailer=! signoff template= edit cleanup= status gpg-sign all include interactive patch only no-verify dry-run short branch ahead-behind porcelain long null amend no-post-rewrite untracked-files pathspec-from-file= pathspec-file-nul allow-empty allow-empty-message",
  config:
    "global system local worktree file= blob= get get-all get-regexp get-urlmatch replace-all add unset unset-all rename-section remove-section list fixed-value edit get-color get-colorbool type= bool! int! bool-or-int! bool-or-str! path! expiry-date! null name-only includes show-origin show-scope default=",
  diagnose: "output-directory= suffix= mode=!",
  difftool: "gui dir-diff no-prompt! prompt! symlinks tool= tool-help trust-exit-code extcmd= no-index",
  "fast-export":
    "progress= signed-tags= tag-of-filtered-object= reencode= export-marks= import-marks= import-marks-if-exists= fake-missing-tagger full-tree use-done-feature no-data refspec= anonymize anonymize-map=! reference-excluded-parents show-original-ids mark-tags",
  fetch:
    "verbose quiet all set-upstream append atomic upload-pack= force multiple tags jobs= prefetch prune prune-tags recurse-submodules dry-run write-fetch-head keep update-head-ok progress depth= shallow-since= shallow-exclude= deepen= unshallow! refetch! submodule-prefix= recurse-submodules-default= update-shallow refmap=! server-option= ipv4 ipv6 negotiation-tip= negotiate-only filter= auto-maintenance auto-gc show-forced-updates write-commit-graph stdin",
  "format-patch":
    "numbered no-numbered! signoff stdout cover-letter numbered-files suffix= start-number= reroll-count= filename-max-length= rfc! cover-from-description= subject-prefix=! output-directory=! keep-subject! no-binary zero-commit ignore-if-in-upstream no-stat! add-header= to= cc= from in-reply-to= attach inline! thread signature= base= signature-file= quiet progress interdiff= range-diff= creation-factor= force-in-body-from",
  gc: "quiet prune cruft aggressive auto force keep-largest-pack",
  grep: "cached no-index untracked exclude-standard recurse-submodules invert-match ignore-case word-regexp text textconv recursive max-depth=! extended-regexp basic-regexp fixed-strings perl-regexp line-number column full-name files-with-matches name-only files-without-match null only-matching count color break heading context= before-context= after-context= threads= show-function function-context and! or not! quiet all-match open-files-in-pager ext-grep max-count=",
  init: "template= bare shared! quiet separate-git-dir= initial-branch= object-format=",
  "interpret-trailers":
    "in-place trim-empty where= if-exists= if-missing= only-trailers only-input unfold parse! no-divider trailer=",
  "ls-remote": "quiet upload-pack= exec= tags heads refs get-url sort= exit-code symref server-option=",
  mailinfo: "message-id encoding=! scissors quoted-cr=! inbody-headers",
  merge:
    "stat summary log squash commit edit cleanup= ff ff-only! rerere-autoupdate verify-signatures strategy= strategy-option= message= file! into-name= verbose quiet abort quit continue allow-unrelated-histories progress gpg-sign autostash overwrite-ignore signoff no-verify",
  "merge-file": "stdout diff3 zdiff3 ours theirs union marker-size= quiet",
  mv: "verbose dry-run force sparse",
  "pack-objects":
    "quiet progress all-progress all-progress-implied index-version=! max-pack-size=! local incremental window= window-memory=! depth= reuse-delta reuse-object delta-base-offset threads= non-empty revs unpacked! all! reflog! indexed-objects! stdin-packs stdout include-tag keep-unreachable pack-loose-unreachable unpack-unreachable cruft cruft-expiration sparse thin shallow honor-pack-keep keep-pack= compression= keep-true-parents use-bitmap-index write-bitmap-index write-bitmap-index-quiet filter= missing=! exclude-promisor-objects delta-islands uri-protocol=",
  pull: "verbose quiet progress recurse-submodules rebase stat summary log signoff squash commit edit cleanup= ff ff-only! verify verify-signatures autostash strategy= strategy-option= gpg-sign allow-unrelated-histories all append upload-pack= force tags prune jobs dry-run keep depth= shallow-since= shallow-exclude= deepen= unshallow! update-shallow refmap=! server-option= ipv4 ipv6 negotiation-tip= show-forced-updates set-upstream",
  "read-tree":
    "index-output=! empty verbose trivial aggressive reset prefix=! exclude-per-directory=! dry-run no-sparse-checkout debug-unpack recurse-submodules quiet",
  reset:
    "quiet no-refresh mixed soft hard merge keep recurse-submodules patch intent-to-add pathspec-from-file= pathspec-file-nul",
  restore:
    "source= staged worktree ignore-unmerged overlay quiet recurse-submodules progress merge conflict= ours! theirs! patch ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul",
  revert:
    "quit! continue! abort! skip! cleanup= no-commit edit signoff mainline= rerere-autoupdate strategy= strategy-option= gpg-sign reference",
  rm: "dry-run quiet cached force ignore-unmatch sparse pathspec-from-file= pathspec-file-nul",
  switch:
    "create= force-create= guess discard-changes quiet recurse-submodules progress merge conflict= detach track force orphan= overwrite-ignore ignore-other-worktrees",
  "symbolic-ref": "quiet delete short recurse",
  tag: "list! delete! verify! annotate message=! file= edit sign cleanup= local-user= force create-reflog column contains! no-contains! with! without! merged! no-merged! sort= points-at format= color ignore-case",
  "update-index":
    "ignore-submodules add replace remove unmerged refresh! really-refresh! cacheinfo! chmod=! assume-unchanged! no-assume-unchanged! skip-worktree! no-skip-worktree! ignore-skip-worktree-entries info-only force-remove stdin! index-info! unresolve! again! ignore-missing verbose clear-resolve-undo! index-version= split-index untracked-cache test-untracked-cache force-untracked-cache force-write-index fsmonitor fsmonitor-valid",
} as const;
