/** What only the messages format asks of its replies. */
export interface MessagesReplyOptions {
  /** Whether thoughts stand in the reply. */
  readonly showsThinking: boolean
  readonly stopSequences: readonly string[]
}
