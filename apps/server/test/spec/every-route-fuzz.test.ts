import { Agent, request } from 'node:http'
import { messagesErrorReply } from '@svc/wire/messages'
import { compatibleErrorReply } from '@svc/wire/openai'
import { responseErrorReply } from '@svc/wire/responses'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { ErrorFamily } from '../../src/http/route-info.ts'
import { brokenFrom, toWire, type WireBody } from '../support/broken-bodies.ts'
import {
  arbitraryBodies,
  type InferenceRoute,
  listConcretePaths,
  listInferenceRoutes,
  modelsForAll,
} from '../support/inference-routes.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

/** Bodies over all routes: some hundreds; with `SVC_LONG=1` 100,000, or `FUZZ_BODIES`. */
const BODIES = Number(process.env.FUZZ_BODIES) || (process.env.SVC_LONG === '1' ? 100_000 : 500)
/** Number of parallel requests. */
const TOGETHER = 8

const stringError = z.looseObject({ error: z.string(), type: z.string() })

/** Error bodies that the clients of a family read. */
const ERRORS: Readonly<Record<ErrorFamily, z.ZodType>> = {
  compatible: compatibleErrorReply,
  rerank: compatibleErrorReply.extend({ message: z.string() }),
  vendor: compatibleErrorReply,
  messages: messagesErrorReply,
  responses: responseErrorReply,
  string: stringError,
  flat: z.strictObject({ error: z.string() }),
  settings: z.strictObject({ success: z.literal(false), error: z.string() }),
  'model-file': z.strictObject({
    success: z.literal(false),
    message: z.string(),
    error: z.string(),
    pending_cleanup: z.literal(0),
    filename: z.string().optional(),
  }),
}

interface Answer {
  readonly status: number
  readonly text: string
}

let server: TestServer
let agent: Agent

beforeAll(async () => {
  server = await startTestServer()
  agent = new Agent({ keepAlive: true, maxSockets: TOGETHER })
  await modelsForAll(server)
})
afterAll(async () => {
  agent.destroy()
  await server.close()
})

function send(path: string, { headers, bytes }: WireBody): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { ...headers, 'content-length': bytes.length } }
    const outgoing = request(new URL(path, server.url), options, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}

describe('generated bodies over every inference route', () => {
  it('never make the server fail, and are refused in the words of the route', async () => {
    const routes = await listInferenceRoutes(server)
    const runs = Math.max(1, Math.ceil(BODIES / routes.length / TOGETHER))
    const statuses: Record<string, Record<string, number>> = {}
    for (const route of routes) {
      const counts: Record<string, number> = {}
      statuses[route.path] = counts
      const good = arbitraryBodies(route)
      const body = fc.oneof(good.map(toWire), { weight: 2, arbitrary: brokenFrom(good) })
      const path = fc.constantFrom(...listConcretePaths(route))
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(path, body), { minLength: TOGETHER, maxLength: TOGETHER }), async (all) => {
          const answers = await Promise.all(all.map(([to, each]) => send(to, each)))
          answers.forEach((answer, index) => {
            counts[answer.status] = (counts[answer.status] ?? 0) + 1
            check(route, answer, all[index]?.[1].bytes ?? Buffer.alloc(0))
          })
          expect(server.logLines.filter(isAlarm)).toEqual([])
          server.logLines.length = 0
        }),
        { numRuns: runs },
      )
    }
    if (process.env.FUZZ_REPORT === '1') console.log(statuses)
    // with few bodies chance may have made all of them of one kind
    for (const [path, counts] of BODIES < 10_000 ? [] : Object.entries(statuses)) {
      expect(counts[200], `${path}: none was answered, of ${JSON.stringify(counts)}`).toBeGreaterThan(0)
      expect(counts[400], `${path}: none was refused, of ${JSON.stringify(counts)}`).toBeGreaterThan(0)
    }
  }, 7_200_000)
})

/** The mock's own fault: it follows no grammar, so its answer may not match the requested form. */
const NOT_THE_FORM = "the model's answer has not the form that was asked for"

/** The models here name no MCP servers, and the route of chats with them says so with a 500, as its contract has it. */
const NO_SERVERS = 'no MCP servers configured'

/** Media are read after a response has started in the background: a refused medium makes it fail. */
const REFUSED_MEDIUM = /"code":"(invalid_media|url_not_allowed|modality_not_supported|media_too_large|too_many_media)"/

/** Whether a line of the log reports a failure that no reply shows. */
function isAlarm(line: string): boolean {
  if (/"level":"(error|fatal)"/.test(line)) return true
  return line.includes('a background response failed') && !line.includes(NOT_THE_FORM) && !REFUSED_MEDIUM.test(line)
}

/** Fails with the sent body and the server's log of it. */
function check(route: InferenceRoute, { status, text }: Answer, sent: Buffer): void {
  const told = (): string =>
    `${route.path}: ${status} ${text.slice(0, 500)}\nsent ${sent.toString('utf8').slice(0, 2000)}\n${server.logLines
      .filter((line) => /"level":"(warn|error|fatal)"/.test(line))
      .join('')
      .slice(0, 4000)}`
  if (text.includes(NOT_THE_FORM) || (status === 500 && text.includes(NO_SERVERS))) return
  if (status === 200) {
    if (/"error":\s*[{"]/.test(text)) throw new Error(`an error in an answer of ${told()}`)
    return
  }
  if (status >= 500 || status < 400) throw new Error(told())
  if (!ERRORS[route.family].safeParse(JSON.parse(text)).success) throw new Error(`not the family's error: ${told()}`)
}
