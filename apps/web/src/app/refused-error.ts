import type { Refusal } from './pages.ts'

/** A page that this viewer may not open. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(`the page is refused: ${refusal.kind}`)
    this.refusal = refusal
  }
}
