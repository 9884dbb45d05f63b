import type { ToolCallSettings } from '../settings.ts'
import type { ToolFormatMarkers } from './tool-format-markers.ts'

/** A call as the model wrote it. */
export interface ParsedToolCall {
  readonly name: string
  /** The model's own JSON text where it wrote JSON; else JSON made of its tagged values. */
  readonly arguments: string
  /** Only present in forms that carry an id. */
  readonly id?: string | undefined
}

/** The facts of a request's tool that reading calls needs. */
export interface KnownTool {
  readonly name: string
  /** Its JSON Schema; tagged values of a `string` property are then never read as JSON. */
  readonly parameters?: unknown
}

/** Context for separating calls from text. */
export interface ToolCallOptions {
  /** The `function` block of the model. */
  readonly settings: ToolCallSettings
  /** The backend's description of the chat template. */
  readonly markers?: ToolFormatMarkers | undefined
  /** The tools of the request, when they are known. */
  readonly tools?: readonly KnownTool[] | undefined
}

/**
 * One event of a reply, in order. Calls are numbered from 0 and never interleave; each is one `call-start` followed by
 * one `call-arguments`, sent when the call is complete.
 */
export type ToolCallEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call-start'; readonly index: number; readonly name: string; readonly id?: string | undefined }
  | { readonly type: 'call-arguments'; readonly index: number; readonly text: string }

/** The calls among events. */
export function toCalls(events: readonly ToolCallEvent[]): ParsedToolCall[] {
  const calls: ParsedToolCall[] = []
  for (const [at, event] of events.entries()) {
    const body = events[at + 1]
    if (event.type !== 'call-start' || body?.type !== 'call-arguments') continue
    const { name, id } = event
    calls.push({ name, arguments: body.text, ...(id === undefined ? {} : { id }) })
  }
  return calls
}
