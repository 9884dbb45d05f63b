/**
 * Runs a step of a library that writes a line to the console for each damaged frame: a file would fill the log of the
 * server. Nothing else runs meanwhile, because the step is not asynchronous up to its last line.
 */
export function quietly<Result>(step: () => Result): Result {
  const { error } = console
  console.error = () => undefined
  try {
    return step()
  } finally {
    console.error = error
  }
}
