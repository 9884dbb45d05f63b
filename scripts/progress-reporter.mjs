/** Most lines of a run. */
const LINES = 40

/** Prints the number of finished test files now and then: `120 of 640 files, 1 failed`. */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export
export default class ProgressReporter {
  #total = 0
  #done = 0
  #failed = 0

  onTestRunStart(specifications) {
    this.#total = specifications.length
    this.#done = 0
    this.#failed = 0
  }

  onTestModuleEnd(module) {
    this.#done += 1
    if (module.state() === 'failed') this.#failed += 1
    const every = Math.max(1, Math.ceil(this.#total / LINES))
    if (this.#done % every !== 0 && this.#done !== this.#total) return
    const failed = this.#failed === 0 ? '' : `, ${this.#failed} failed`
    process.stdout.write(`${this.#done} of ${this.#total} files${failed}\n`)
  }
}
