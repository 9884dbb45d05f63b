import type { ListedTrace } from '../../../monitoring/traces/list-page.ts'

/** Bytes of bodies in one page; the traces after that have no bodies. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024

/** Writes a list of traces as JSON. */
export async function writeTraces(traces: readonly ListedTrace[], isFull: boolean): Promise<string> {
  if (!isFull) return `[${traces.map(({ head }) => head).join(',')}]`
  const texts: string[] = []
  let bytes = 0
  for (const trace of traces) {
    const text = bytes < MAX_PAGE_BYTES ? await writeTrace(trace) : trace.head
    texts.push(text)
    bytes += text.length
  }
  return `[${texts.join(',')}]`
}

/** Writes one trace of a request as JSON, with its bodies. */
export async function writeTrace(trace: ListedTrace): Promise<string> {
  const [request, response] = await trace.readBodies()
  if (request === undefined && response === undefined) return trace.head
  const head = JSON.parse(trace.head) as { readonly request: object; readonly response: object }
  return JSON.stringify({
    ...head,
    request: { ...head.request, body: request ?? null },
    response: { ...head.response, body: response ?? null },
  })
}
