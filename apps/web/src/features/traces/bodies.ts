/** Longest body that is shown in the page, in bytes. */
export const MAX_SHOWN_BYTES = 256 * 1024

/** A recorded body, as it can be shown. */
export type BodyView =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown; readonly text: string; readonly bytes: number }
  | { readonly kind: 'text'; readonly text: string; readonly bytes: number }
  /** Too long, or not text. */
  | { readonly kind: 'file'; readonly content: Uint8Array<ArrayBuffer>; readonly bytes: number }

/** Reads a body in base64; null if the body was not kept. */
export function readBody(body: string | null): BodyView {
  if (body === null || body === '') return { kind: 'none' }
  const content = Uint8Array.from(atob(body), (character) => character.charCodeAt(0))
  const bytes = content.length
  if (bytes > MAX_SHOWN_BYTES) return { kind: 'file', content, bytes }
  const text = decode(content)
  if (text === undefined) return { kind: 'file', content, bytes }
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? { kind: 'json', value, text, bytes } : { kind: 'text', text, bytes }
  } catch {
    return { kind: 'text', text, bytes }
  }
}

/** The bytes as text; undefined for a body that is not text. A cut body may end within a character. */
function decode(content: Uint8Array<ArrayBuffer>): string | undefined {
  const text = new TextDecoder().decode(content)
  return text.includes('\0') ? undefined : text
}

/** Whether the reply came in pieces. */
export function isStreamed({
  response,
}: {
  readonly response: { readonly headers: Readonly<Record<string, string>> }
}): boolean {
  return response.headers['content-type']?.startsWith('text/event-stream') === true
}

/** A command line that sends the request again. The key stays a variable. */
export function toCurl(
  { method, path }: { readonly method: string; readonly path: string },
  { body, origin }: { readonly body: string | undefined; readonly origin: string },
): string {
  const lines = [
    `curl -X ${method} ${quote(`${origin.replace(/\/$/, '')}${path}`)}`,
    `-H "Authorization: Bearer $KEY"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `--data-raw ${quote(body)}`]),
  ]
  return lines.join(' \\\n  ')
}

/** Quotes a word for a POSIX shell. */
const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
