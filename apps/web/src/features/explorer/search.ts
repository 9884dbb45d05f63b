/** Search parameters of the public page. */
export interface ExplorerSearch {
  /** The open page of the instructions. */
  readonly topic?: string
}

export function readExplorerSearch({ topic }: Record<string, unknown>): ExplorerSearch {
  return typeof topic === 'string' && topic !== '' ? { topic } : {}
}
