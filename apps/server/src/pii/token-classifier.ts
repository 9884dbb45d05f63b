import type { TokenClassifier } from '@svc/pii'
import type { ModelConfig } from '../models/model-config.ts'
import type { Residency } from '../models/residency.ts'

/** A detector model on its backend: loaded on first use, busy while a text is looked at. */
export function createTokenClassifier(model: ModelConfig, residency: Pick<Residency, 'acquire'>): TokenClassifier {
  return {
    async classify(text, { minScore, signal }) {
      const lease = await residency.acquire(model, { signal })
      try {
        const { entities } = await lease.client.tokenClassify({ text, threshold: minScore }, { signal })
        return entities.map(({ start, end, entityGroup, score }) => ({ start, end, group: entityGroup, score }))
      } finally {
        lease.release()
      }
    },
  }
}

/** Resolves once the model of a detector is loaded. @throws what a load fails with */
export async function loadClassifier(
  model: ModelConfig,
  residency: Pick<Residency, 'acquire'>,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const lease = await residency.acquire(model, { signal })
  lease.release()
}
