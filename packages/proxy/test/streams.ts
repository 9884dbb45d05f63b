import type { ChatCompletionChunk } from '@svc/wire/openai'

/** A stream of events of the messages format. */
export function messagesStream(...events: readonly { readonly type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

/** A stream of chunks of the compatible format with a correct end. */
export function chunkStream(...chunks: readonly unknown[]): string {
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
}

/** Text as bytes in pieces, cut at the offsets. */
export async function* cutAt(text: string, ...offsets: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let start = 0
  for (const offset of [...offsets, bytes.length]) {
    yield bytes.subarray(start, offset)
    start = offset
  }
}

/** The joined content of a stream. */
export interface JoinedStream {
  text: string
  reasoning: string
  calls: { id: string | undefined; name: string | undefined; arguments: string }[]
  finish: string | undefined
  usage: unknown
}

/** Joins the chunks of a stream. */
export async function joinChunks(
  chunks: AsyncIterable<ChatCompletionChunk>,
  heard: JoinedStream = createEmptyStream(),
): Promise<JoinedStream> {
  for await (const { choices, usage } of chunks) {
    if (usage != null) heard.usage = usage
    for (const { delta, finish_reason: reason } of choices) {
      heard.text += delta.content ?? ''
      heard.reasoning += delta.reasoning ?? ''
      for (const { index, id, function: called } of delta.tool_calls ?? []) {
        heard.calls[index] ??= { id, name: called?.name, arguments: '' }
        heard.calls[index].arguments += called?.arguments ?? ''
      }
      heard.finish = reason ?? heard.finish
    }
  }
  return heard
}

/** Empty content. */
export function createEmptyStream(): JoinedStream {
  return { text: '', reasoning: '', calls: [], finish: undefined, usage: undefined }
}
