/** A problem of a file in the models folder: a refusal, or a warning about ignored content. */
export interface ConfigProblem {
  /** Name of the file inside the models folder. */
  readonly file: string
  /** Line number from 1; absent when the whole file is at fault. */
  readonly line?: number | undefined
  /** The key as a path such as `parameters.top_k` or `router.candidates[1].model`. */
  readonly key?: string | undefined
  readonly reason: string
  /** Set for a warning that refuses a file about to be written. */
  readonly stopsWriting?: boolean | undefined
}

/** Formats a problem for people: `file:line: key: reason`. */
export function formatProblem({ file, line, key, reason }: ConfigProblem): string {
  const place = line === undefined ? file : `${file}:${line}`
  return key === undefined ? `${place}: ${reason}` : `${place}: ${key}: ${reason}`
}
