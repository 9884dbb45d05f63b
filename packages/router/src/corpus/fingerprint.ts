import { checkArgument } from '@svc/errors'
import { hashText } from '../sha256.ts'

/**
 * Tells whether the model that embeds now has made the vectors of a corpus.
 *
 * @param modelFingerprint changes with the model: its settings and its files
 * @param revision `embedding_revision` of the settings, for models that change without a trace @default ''
 */
export function createFingerprint(modelFingerprint: string, revision = ''): string {
  const isText = typeof modelFingerprint === 'string'
  checkArgument(isText, 'createFingerprint: modelFingerprint', 'a text', modelFingerprint)
  return hashText(`${modelFingerprint}\u0000${revision}`)
}
