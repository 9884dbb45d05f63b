/** Gives one held thing back. @param thrown the error that ended the request; undefined on success */
export type CleanupStep = (thrown: unknown) => void

/** List of the things that a request holds; gives them back at its end. */
export class Cleanup {
  readonly #steps: CleanupStep[] = []

  add(step: CleanupStep): void {
    this.#steps.push(step)
  }

  /** Runs all steps, the last one first, even if one throws. @throws the error of the last step that threw */
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
