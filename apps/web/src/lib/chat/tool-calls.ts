import type { ServerCall } from './stream-events.ts'
import type { ChatSettings, Message, ToolCall } from './types.ts'

/** A part of an answer in its order: text, or calls of tools that the model made together. */
export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[] }

/** Whether a chat lets its model use tools of servers. */
export function usesTools({ toolServers = [], isAssistant = false }: ChatSettings): boolean {
  return isAssistant || toolServers.length > 0
}

/** Cuts an answer at its calls of tools. Empty texts are left out. */
export function listParts({ text, toolCalls }: Pick<Message, 'text' | 'toolCalls'>): readonly AnswerPart[] {
  const parts: AnswerPart[] = []
  let end = 0
  const addText = (to: number) => {
    const piece = text.slice(end, to)
    if (piece.trim() !== '') parts.push({ kind: 'text', text: piece })
    end = Math.max(end, to)
  }
  const places = [...new Set(toolCalls.map(({ textBefore = 0 }) => textBefore))].toSorted((left, right) => left - right)
  for (const place of places) {
    addText(place)
    parts.push({ kind: 'calls', calls: toolCalls.filter(({ textBefore = 0 }) => textBefore === place) })
  }
  addText(text.length)
  return parts
}

/** The text of an answer with a further piece. Text behind a call begins a paragraph. */
export function joinText({ text, toolCalls }: Pick<Message, 'text' | 'toolCalls'>, piece: string): string {
  const isBehindCall = text !== '' && toolCalls.some(({ textBefore }) => textBefore === text.length)
  return isBehindCall && !/\s$/.test(text) && !/^\s/.test(piece) ? `${text}\n\n${piece}` : text + piece
}

/** Notes a call of a tool that the server runs, or that it begins to run one that was allowed. */
export function addServerCall(
  { text, toolCalls }: Pick<Message, 'text' | 'toolCalls'>,
  event: ServerCall & { readonly isAsked: boolean },
  now: number,
): readonly ToolCall[] {
  const { id, server, tool, name, isAsked } = event
  const known = toolCalls.find((call) => call.id === id && call.result === undefined)
  if (known !== undefined) {
    const begun = { ...known, server, tool, startedAt: now, isStarted: !isAsked }
    return toolCalls.map((call) => (call === known ? begun : call))
  }
  const call: ToolCall = { id, server, tool, name, arguments: event.text, startedAt: now, textBefore: text.length }
  return [...toolCalls, { ...call, isStarted: !isAsked, ...(isAsked && { consent: 'asked' }) }]
}

/** Most faults of servers that an answer keeps. */
const MAX_FAULTS = 8

/** Notes that a server of tools failed. */
export function addServerFault({ serverFaults = [] }: Message, message: string): readonly string[] {
  return serverFaults.includes(message) ? serverFaults : [...serverFaults, message].slice(-MAX_FAULTS)
}

/** Asks again about calls that an answer broke off: they may have run, so that nothing runs twice unsaid. */
export function askAgain(message: Message): Message {
  const toolCalls = message.toolCalls.map((call): ToolCall => {
    const isLost = call.consent === 'allowed' && call.isStarted === true && call.result === undefined
    return isLost ? { ...call, consent: 'asked' } : call
  })
  return { ...message, toolCalls }
}

/** The calls of an answer that wait for the reader. */
export function listAsked({ toolCalls }: Pick<Message, 'toolCalls'>): readonly ToolCall[] {
  return toolCalls.filter(({ consent, result }) => consent === 'asked' && result === undefined)
}

/** The calls that the reader has decided about and the server has not answered. */
export function listDecided({ toolCalls }: Pick<Message, 'toolCalls'>): readonly ToolCall[] {
  return toolCalls.filter(
    ({ consent, result }) => (consent === 'allowed' || consent === 'declined') && result === undefined,
  )
}

/** Notes the decision of the reader about calls. */
export function decide(message: Message, ids: ReadonlySet<string>, isAllowed: boolean): Message {
  const consent = isAllowed ? 'allowed' : 'declined'
  const toolCalls = message.toolCalls.map((call): ToolCall => {
    const isMeant = ids.has(call.id) && call.consent === 'asked' && call.result === undefined
    return isMeant ? { ...call, consent, isStarted: false } : call
  })
  return { ...message, toolCalls }
}
