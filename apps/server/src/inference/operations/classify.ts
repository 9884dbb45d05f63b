import type { OperationRunner } from './operation-runner.ts'

/** Finds the entities of a text. */
export const runClassify: OperationRunner<'classify'> = async ({ text, minScore }, { client, signal }) => {
  const { entities } = await client.tokenClassify({ text, threshold: minScore }, { signal })
  return {
    entities: entities.map(({ start, end, entityGroup, score }) => ({ start, end, group: entityGroup, score })),
    promptTokens: 0,
  }
}
