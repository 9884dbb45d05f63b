import type { Header } from '@svc/http-client'
import { findHeader, toFields, toList, toText, tryParseJson } from '@svc/proxy/replies'
import { resolveGeneratedUrl } from './generated-content.ts'
import type { FormField, FormFile } from './multipart.ts'
import type { ServiceCall, ServiceTransport } from './transport.ts'

/** Audio to transform, and its reference. */
export interface TransformInput {
  readonly audio: FormFile
  readonly reference?: FormFile | undefined
  readonly params: Readonly<Record<string, string>>
}

/** Transformed audio, and the parts into which it was split. */
export interface TransformedAudio {
  readonly body: AsyncIterable<Uint8Array>
  readonly stems: readonly { readonly name: string; readonly url: URL }[]
}

/** The header that lists the parts: JSON, each with `name` and `url`. */
const STEMS_HEADER = 'x-audio-stems'

/** Transforms audio. Follows links to its parts only to generated audio of the instance. */
export async function transformAudio(
  transport: ServiceTransport,
  input: TransformInput,
  call: ServiceCall,
): Promise<TransformedAudio> {
  const form: FormField[] = [
    ['model', transport.target.model],
    ['audio', input.audio],
    ...(input.reference === undefined ? [] : [['reference', input.reference] as const]),
    ...Object.entries(input.params).map(([name, value]) => [`params[${name}]`, value] as const),
  ]
  const reply = await transport.fetch('/audio/transformations', { form }, { ...call, streams: false })
  return { body: reply.body, stems: readStems(reply.headers, transport.target.root) }
}

function readStems(headers: readonly Header[], root: URL): TransformedAudio['stems'] {
  return toList(tryParseJson(findHeader(headers, STEMS_HEADER) ?? '')).flatMap((stem) => {
    const { name, url: link } = toFields(stem)
    const url = resolveGeneratedUrl(root, toText(link) ?? '', ['audio'])
    return url === undefined ? [] : [{ name: toText(name) ?? '', url }]
  })
}
