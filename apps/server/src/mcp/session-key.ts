/** What a session is for. */
export interface SessionKey {
  /** Sessions of one group end together. */
  readonly group: string
  /** Stands for the settings of the server: another one is another session. */
  readonly id: string
  readonly server: string
}
