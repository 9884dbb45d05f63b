import * as z from 'zod'
import type { WrittenFiles } from '../../catalog/written-files.ts'
import type { ChangeParts } from './apply-change.ts'

const factsSchema = z.object({ grants: z.array(z.object({ path: z.string(), upstream: z.string() })) })

/**
 * Takes the record of {@link WrittenFiles} to other front ends with each model file: a file that the API wrote at one of
 * them may name no other key files anywhere.
 */
export function shareWrittenFiles(written: WrittenFiles): Pick<ChangeParts, 'describe' | 'onWrite'> {
  return {
    describe(name, { content, isBase64 }) {
      const known = written.find(name, isBase64 ? Buffer.from(content, 'base64') : content)
      return known && { grants: known.grants }
    },
    async onWrite(name, file) {
      if (file === undefined) return written.forget(name)
      if (file.facts === undefined) return
      const facts = factsSchema.parse(file.facts)
      // Bytes that are not text are no model file, so they name no key file.
      if (!file.isBase64) await written.note(name, file.content, facts.grants)
    },
  }
}
