import type { Turns } from '../core/turns.ts'
import type { HostedTool, NamedToolServer, ServerTexts } from './hosted-tool.ts'

type Restore = Pick<Turns, 'restore'>
type Texts = Readonly<Record<string, string>>

/** Puts masked values back into the addresses and tokens of servers that a request names: the filter reads them too. */
export function restoreHosted(hosted: readonly HostedTool[], turns: Restore): readonly HostedTool[] {
  return hosted.map((one) => (one.kind === 'named-server' ? { ...one, server: restoreServer(one.server, turns) } : one))
}

function restoreServer(server: NamedToolServer, turns: Restore): NamedToolServer {
  const { url, token, headers } = server
  return {
    ...server,
    url: turns.restore(url),
    ...(token === undefined ? {} : { token: turns.restore(token) }),
    ...(headers === undefined ? {} : { headers: restoreAll(headers, turns) }),
  }
}

/** Puts masked values back into what servers are asked for. */
export function restoreWanted({ prompt, resources }: ServerTexts, turns: Restore): ServerTexts {
  return {
    prompt: prompt && { ...prompt, args: restoreAll(prompt.args, turns) },
    resources: resources?.map((uri) => turns.restore(uri)),
  }
}

function restoreAll(texts: Texts, turns: Restore): Texts {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, turns.restore(text)]))
}
