/** The clients that Lockstep can start, in order of preference. Each name is also the name of the client's program. */
export const agentClients = ["claude", "codex", "gemini", "opencode", "copilot"] as const;

/** The clients whose tool calls the guard judges. */
export const clientNames = [...agentClients, "cursor"] as const;

export type AgentClientName = (typeof agentClients)[number];
export type ClientName = (typeof clientNames)[number];
