/** Where the user's files are: the environment the agent would have been started in. */
export interface AgentHome {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
