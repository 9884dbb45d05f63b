/** Gives something back. @param thrown the error that ended the request; undefined when it went well */
export type CleanupStep = (thrown: unknown) => void

/** The things that a request holds, and how each is given back. */
export class Cleanup {
  readonly #steps: CleanupStep[] = []

  add(step: CleanupStep): void {
    this.#steps.push(step)
  }

  /** Runs all steps, the last first, even if one throws. @throws the error of the last step that threw */
  run(thrown: unknown): void {
    const step = this.#steps.pop()
    if (step === undefined) return
    try {
      step(thrown)
    } finally {
      this.run(thrown)
    }
  }
}
