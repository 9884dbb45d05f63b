import { readFile } from 'node:fs/promises'
import { demoModels } from '@svc/demo-models'

const TEMPLATE_KEY = 'tokenizer.chat_template'
/** With this key and without a template, weights count as made for vectors. */
const POOLING_KEY = 'llama.pooling_type'
/** The type of a text, and its length. */
const HEAD_BYTES = 12

/**
 * The weights of the demo model with another chat template, or without one. The file keeps its length, so that all
 * offsets stay right: a comment fills the rest of the template.
 */
export async function readDemoWeights({ template }: { readonly template: string | undefined }): Promise<Buffer> {
  const bytes = await readFile(demoModels[0]?.file ?? '')
  const key = bytes.indexOf(TEMPLATE_KEY)
  if (key < 0) throw new Error('the demo model has no chat template')
  if (template === undefined) {
    for (const hidden of [key, bytes.indexOf(POOLING_KEY)]) bytes.write('x', hidden)
    return bytes
  }
  const start = key + TEMPLATE_KEY.length + HEAD_BYTES
  const length = Number(bytes.readBigUInt64LE(start - 8))
  const rest = length - Buffer.byteLength(template) - '{##}'.length
  if (rest < 0) throw new Error('the template is too long')
  bytes.write(`${template}{#${' '.repeat(rest)}#}`, start)
  return bytes
}
