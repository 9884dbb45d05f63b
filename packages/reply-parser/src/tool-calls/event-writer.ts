import { createContentWriter } from './content-writer.ts'
import type { ParsedToolCall, ToolCallEvent } from './tool-call.ts'

/** Writes the events of a reply. Adjacent texts are one event; calls are numbered. */
export interface EventWriter {
  text(text: string): void
  call(call: ParsedToolCall): void
  /** Ends the reply. */
  finish(): void
  /** The events since the previous take. */
  take(): ToolCallEvent[]
}

/** Creates the writer of one reply. */
export function createEventWriter(): EventWriter {
  let events: ToolCallEvent[] = []
  let index = 0
  const content = createContentWriter((text) => {
    const last = events.at(-1)
    if (last?.type === 'text') events[events.length - 1] = { type: 'text', text: last.text + text }
    else events.push({ type: 'text', text })
  })

  return {
    text: (text) => content.write(text),
    call({ name, id, arguments: text }) {
      content.skipCall()
      events.push({ type: 'call-start', index, name, ...(id === undefined ? {} : { id }) })
      events.push({ type: 'call-arguments', index, text })
      index++
    },
    finish: () => content.finish(),
    take() {
      const done = events
      events = []
      return done
    },
  }
}
