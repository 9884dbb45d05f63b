/** Something wrong with a file of the models folder: a refusal, or a warning about what was ignored. */
export interface ConfigProblem {
  /** Name of the file inside the models folder. */
  readonly file: string
  /** From 1; absent when the whole file is meant. */
  readonly line?: number | undefined
  /** The key as a path such as `parameters.top_k` or `router.candidates[1].model`. */
  readonly key?: string | undefined
  readonly reason: string
}

/** One line for people: `file:line: key: reason`. */
export function formatProblem({ file, line, key, reason }: ConfigProblem): string {
  const place = line === undefined ? file : `${file}:${line}`
  return key === undefined ? `${place}: ${reason}` : `${place}: ${key}: ${reason}`
}
