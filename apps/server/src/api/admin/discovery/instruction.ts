/** A page about one area of the API, for programs and people. */
export interface Instruction {
  readonly name: string
  readonly description: string
  /** Tags of its routes. */
  readonly tags: readonly string[]
  /**
   * Text with `{base_url}` in place of the address of the server, with a slash at its end. A test runs the examples.
   */
  readonly markdown: string
}
