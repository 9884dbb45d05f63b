import { type JsonNode, parseJson } from '@svc/json'

/** The end of the name of the member. */
const USAGE = 'usage"'
/** A quote inside of a text is escaped, so this is a member. */
const NULL_MEMBER = /,\s*"usage"\s*:\s*null(?=\s*[,}])/g
const EVENT = /[\s\S]*?(?:\r\n\r\n|\n\n|\r\r|$)/g
const DATA = /^data: ?(.*)$/m

/**
 * Takes the figures out of whole events of the compatible format, for clients that did not ask for them: the event that
 * has only figures, and the member in all others. Text is one character a byte.
 */
export function stripUsage(events: string): string {
  if (!events.includes(USAGE)) return events
  const rest = events.replace(NULL_MEMBER, '')
  return rest.includes(USAGE) ? rest.replace(EVENT, stripEvent) : rest
}

function stripEvent(event: string): string {
  const data = event.includes(USAGE) ? DATA.exec(event)?.[1] : undefined
  const root = data === undefined ? undefined : parseObject(data)
  if (data === undefined || root === undefined) return event
  const members = [...root.entries()]
  const kept = members.filter(({ name }) => name !== 'usage')
  if (kept.length === members.length) return event
  const choices = root.get('choices')
  if (choices === undefined || choices.length === 0) return ''
  const texts = kept.map(({ key, value }) => data.slice(key.start, value.end))
  return event.replace(data, () => `{${texts.join(',')}}`)
}

function parseObject(data: string): JsonNode | undefined {
  try {
    const { root } = parseJson(Buffer.from(data, 'latin1'))
    return root.kind === 'object' ? root : undefined
  } catch {
    return undefined
  }
}
