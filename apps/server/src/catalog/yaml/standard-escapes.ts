import { type CST, Parser } from 'yaml'
import { eachToken } from './each-token.ts'

/**
 * Replaces the escape `\'` of a quoted scalar by the sign that it means. The standard has no such escape, but the
 * reader for which model files were written takes it.
 *
 * @param source a double-quoted scalar with its quotes
 */
export function toStandardEscapes(source: string): string {
  if (!source.includes("\\'")) return source
  return source.replaceAll(/\\(.)/gs, (written, sign: string) => (sign === "'" ? sign : written))
}

/** Replaces the escapes of {@link toStandardEscapes} in every scalar of a text, which was read before. */
export function withStandardEscapes(text: string): string {
  if (!text.includes("\\'")) return text
  const scalars = [...new Parser().parse(text)].flatMap((token) =>
    token.type === 'document' ? [...eachToken(token)].flatMap((found) => toQuoted(found.token)) : [],
  )
  const pieces: string[] = []
  let end = 0
  for (const { offset, source } of scalars.sort((left, right) => left.offset - right.offset)) {
    pieces.push(text.slice(end, offset), toStandardEscapes(source))
    end = offset + source.length
  }
  return pieces.join('') + text.slice(end)
}

function toQuoted(token: CST.Token): readonly { readonly offset: number; readonly source: string }[] {
  return token.type === 'double-quoted-scalar' ? [{ offset: token.offset, source: token.source }] : []
}
