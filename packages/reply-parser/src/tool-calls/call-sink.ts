import { createContentWriter } from './content-writer.ts'
import { parseCallJson, toJsonObjectText } from './json-text.ts'
import { MAX_CALLS } from './limits.ts'
import type { ParsedToolCall, ToolCallEvent, ToolCallOptions } from './tool-call.ts'

/** Decides which calls are valid, numbers them, and puts text and calls in order. */
export interface CallSink {
  text(text: string): void
  /**
   * Takes calls that stand together. Returns false when they are not calls: there are too many of them, or the JSON has
   * no marker and names no tool of the request.
   */
  offer(calls: readonly ParsedToolCall[], isMarked: boolean): boolean
  /** Markers to drop when they come, because calls stood in their scope. */
  readonly closings: Set<string>
  /** Whether any call was taken. */
  readonly hasCalls: boolean
  /** Ends the reply. */
  finish(): void
  /** The events since the previous take. */
  take(): ToolCallEvent[]
}

/** Creates the sink of one reply. */
export function createCallSink({ settings, tools }: ToolCallOptions): CallSink {
  const known = tools && new Set(tools.map(({ name }) => name))
  const noAction = noActionName()
  let events: ToolCallEvent[] = []
  let taken = 0
  let index = 0
  const content = createContentWriter((text) => {
    const last = events.at(-1)
    if (last?.type === 'text') events[events.length - 1] = { type: 'text', text: last.text + text }
    else events.push({ type: 'text', text })
  })

  /** The pseudo-tool of grammars, unless the request has a tool of that name. */
  function noActionName(): string | undefined {
    const name = settings.noActionFunctionName || 'answer'
    return settings.disableNoAction === true || known?.has(name) === true ? undefined : name
  }

  function take(call: ParsedToolCall): void {
    if (call.name === noAction) {
      content.write(readMessage(call.arguments))
      return
    }
    content.skipCall()
    const { name, id } = call
    events.push({ type: 'call-start', index, name, ...(id === undefined ? {} : { id }) })
    events.push({ type: 'call-arguments', index, text: call.arguments })
    index++
  }

  return {
    closings: new Set(),
    get hasCalls() {
      return taken > 0
    },
    text: content.write,
    offer(calls, isMarked) {
      if (taken + calls.length > MAX_CALLS) return false
      const isKnown = known === undefined || calls.some(({ name }) => known.has(name) || name === noAction)
      if (!isMarked && !isKnown) return false
      taken += calls.length
      for (const call of calls) take(call)
      return true
    },
    finish: content.finish,
    take() {
      const done = events
      events = []
      return done
    },
  }
}

/** The model's answer when it calls no tool; empty when there is none. */
function readMessage(json: string): string {
  const object = toJsonObjectText(json)
  const message = object === undefined ? undefined : parseCallJson(object).get('message')
  return message?.kind === 'string' ? message.text() : ''
}
