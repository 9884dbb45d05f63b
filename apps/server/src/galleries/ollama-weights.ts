import { SvcError } from '@svc/errors'
import type { Credentials } from '../downloads/credentials.ts'
import type { DownloadSource } from '../downloads/download-source.ts'
import { isImageReference, parseImageReference } from '../oci/image-reference.ts'
import { createRegistryClient } from '../oci/registry-client.ts'
import type { OutboundClient } from '../outbound/client.ts'

/** The weights of a model at a registry of the alternate ecosystem. */
export interface OllamaWeights {
  readonly source: DownloadSource
  readonly sha256: string
  readonly sizeBytes: number
}

const PUBLIC_REGISTRY = 'registry.ollama.ai'
const WEIGHTS_TYPE = 'application/vnd.ollama.image.model'

/**
 * Finds the weights of `model:tag`, `namespace/model:tag` or `registry.example/namespace/model:tag`.
 *
 * @throws {SvcError} `invalid_image`, `image_failed`; `upstream_failed`, code `weights_not_found`
 */
export async function findOllamaWeights(
  reference: string,
  {
    client,
    credentials,
    signal,
  }: { readonly client: OutboundClient; readonly credentials: Credentials; readonly signal: AbortSignal },
): Promise<OllamaWeights> {
  const image = parseImageReference(toFullReference(reference))
  const registry = createRegistryClient({ client, credentials })
  const { layers } = await registry.readManifest(image, { signal })
  const weights = layers.find(({ mediaType }) => mediaType === WEIGHTS_TYPE)
  if (weights === undefined) {
    throw new SvcError('upstream_failed', `the registry has no weights of ${reference}`, { code: 'weights_not_found' })
  }
  return {
    source: registry.layerSource(image, weights),
    sha256: weights.digest.slice('sha256:'.length),
    sizeBytes: weights.sizeBytes,
  }
}

function toFullReference(reference: string): string {
  if (isImageReference(reference)) return reference
  return `${PUBLIC_REGISTRY}/${reference.includes('/') ? reference : `library/${reference}`}`
}
