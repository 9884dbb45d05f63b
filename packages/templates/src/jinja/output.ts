import type { Rendering } from './rendering.ts'

/** Text as it is being rendered. */
export class Output {
  readonly #run: Rendering
  #text = ''

  constructor(run: Rendering) {
    this.#run = run
  }

  get text(): string {
    return this.#text
  }

  /** @throws JinjaLimitError when the text gets too long */
  write(text: string): void {
    this.#text += text
    this.#run.checkLength(this.#text.length)
  }
}
