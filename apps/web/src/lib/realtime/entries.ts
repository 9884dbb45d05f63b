import { toFields, toList, toText } from './events.ts'

/** What somebody says, as text. */
export interface Caption {
  readonly kind: 'caption'
  readonly id: string
  readonly role: 'user' | 'assistant' | 'system'
  /** Texts of the parts of the item, by their place. */
  readonly parts: readonly string[]
  readonly isSpoken: boolean
  /** `open` while text comes, `cut` where the voice was interrupted. */
  readonly state: 'open' | 'done' | 'cut' | 'failed'
  /** Why it failed, or why it ends early, in the words of the server. */
  readonly fault?: string
  /** The person who speaks, where the pipeline knows voices. */
  readonly speaker?: string
  /** What is heard besides speech. */
  readonly sounds?: readonly string[]
}

/** A call of a tool: a function of the client, or a tool of an MCP server. */
export interface ToolEntry {
  readonly kind: 'tool'
  readonly id: string
  readonly name: string
  /** The MCP server; undefined for functions. */
  readonly server?: string
  readonly arguments: string
  readonly result?: string
  readonly state: 'running' | 'asked' | 'done' | 'failed'
}

/** The tools that an MCP server offers. */
export interface ToolListEntry {
  readonly kind: 'tools'
  readonly id: string
  readonly server: string
  readonly names: readonly string[]
}

/** A tool that runs only with consent. */
export interface ConsentEntry {
  readonly kind: 'consent'
  readonly id: string
  readonly server: string
  readonly name: string
  readonly arguments: string
  readonly answer?: boolean
}

/** A part of the conversation, in its order. */
export type Entry = Caption | ToolEntry | ToolListEntry | ConsentEntry

type Item = Readonly<Record<string, unknown>>

const ROLES = ['user', 'assistant', 'system'] as const
const readRole = (role: unknown): Caption['role'] => ROLES.find((known) => known === role) ?? 'user'

/** The text of a caption. */
export function readCaption({ parts }: Caption): string {
  return parts.filter((part) => part !== '').join('\n')
}

/** Replaces the text of a part. */
export function withPart(caption: Caption, index: number, change: (text: string) => string): Caption {
  // a conversation has few parts an item; a place far beyond them is wrong
  if (index > 32) return caption
  const parts = Array.from({ length: Math.max(caption.parts.length, index + 1) }, (_, at) => caption.parts[at] ?? '')
  parts[index] = change(parts[index] ?? '')
  return { ...caption, parts }
}

export function createCaption(id: string, role: Caption['role'], isSpoken: boolean): Caption {
  return { kind: 'caption', id, role, parts: [], isSpoken, state: 'open' }
}

/** Brings an item of the server into an entry; undefined for items that nobody sees. @param known the entry so far */
export function toEntry(item: Item, known: Entry | undefined): Entry | undefined {
  const id = toText(item.id)
  switch (item.type) {
    case 'message':
      return toCaption(id, item, known?.kind === 'caption' ? known : undefined)
    case 'function_call':
    case 'mcp_call':
      return toTool(id, item, known?.kind === 'tool' ? known : undefined)
    case 'mcp_list_tools':
      return {
        kind: 'tools',
        id,
        server: toText(item.server_label),
        names: toList(item.tools).map(({ name }) => toText(name)),
      }
    case 'mcp_approval_request':
      return {
        kind: 'consent',
        id,
        server: toText(item.server_label),
        name: toText(item.name),
        arguments: toText(item.arguments),
        ...(known?.kind === 'consent' && known.answer !== undefined && { answer: known.answer }),
      }
    default:
      return undefined
  }
}

function toCaption(id: string, item: Item, known: Caption | undefined): Caption {
  const content = toList(item.content)
  const isSpoken = content.some(({ type }) => /audio/.test(toText(type)))
  const caption = known ?? createCaption(id, readRole(item.role), isSpoken)
  return content.reduce<Caption>(
    (result, part, index) => {
      const text = toText(part.transcript) || toText(part.text)
      return text === '' ? result : withPart(result, index, () => text)
    },
    { ...caption, role: readRole(item.role ?? caption.role), isSpoken: isSpoken || caption.isSpoken },
  )
}

function toTool(id: string, item: Item, known: ToolEntry | undefined): ToolEntry {
  const server = toText(item.server_label)
  const error = toFields(item.error)
  const failure = toText(item.error) || toText(error.message) || toText(error.type)
  const result = toText(item.output) || failure
  return {
    kind: 'tool',
    id,
    name: toText(item.name) || (known?.name ?? ''),
    ...(server !== '' && { server }),
    arguments: toText(item.arguments) || (known?.arguments ?? ''),
    ...(result !== '' && { result }),
    state: findToolState(item, { failure, result, known }),
  }
}

function findToolState(
  item: Item,
  {
    failure,
    result,
    known,
  }: { readonly failure: string; readonly result: string; readonly known: ToolEntry | undefined },
): ToolEntry['state'] {
  if (failure !== '') return 'failed'
  if (item.type === 'function_call') return item.status === 'completed' ? 'asked' : 'running'
  return result !== '' || item.status === 'completed' ? 'done' : (known?.state ?? 'running')
}
