/** Reply options that only this format has. */
export interface MessagesReplyOptions {
  /** Whether the reply contains reasoning. */
  readonly showsThinking: boolean
  readonly stopSequences: readonly string[]
}
