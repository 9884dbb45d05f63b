import * as z from 'zod'
import { type AssistantTool, defineRouteTool, defineTool, name, type ToolContext, toAnswer, whole } from '../tool.ts'

const RUNNING = 'GET /api/operations'
const FINISHED = 'GET /api/operations/history'
/** Pause between two looks at an operation, milliseconds. */
const LOOK_MS = 500

const operation = z.looseObject({ jobID: z.string(), progress: z.number().optional(), error: z.string().optional() })
const operations = z.looseObject({ operations: z.array(operation) })
type Operation = z.output<typeof operation>

/** Operations: changes of models and backends in the background. */
export const OPERATION_TOOLS: readonly AssistantTool[] = [
  defineTool({
    name: 'list_operations',
    title: 'List operations',
    description: 'Lists the operations that wait, run or have failed, or with finished the last finished ones.',
    input: { finished: z.boolean().describe('List the history.').default(false) },
    routes: [RUNNING, FINISHED],
    run: async ({ finished }, { request }) => toAnswer(await request({ route: finished ? FINISHED : RUNNING })),
  }),
  defineTool({
    name: 'follow_operation',
    title: 'Follow an operation',
    description: 'Waits until an operation has ended or the time is over, and gives its state.',
    input: {
      id: name('Id of the operation.'),
      seconds: whole('Longest wait.', { min: 0, max: 60 }).default(30),
    },
    routes: [RUNNING, FINISHED],
    run: async ({ id, seconds }, context) => ({ value: await follow(id, seconds, context) }),
  }),
  changeTool('cancel', 'Ends an operation that waits or runs, and discards what it has fetched.'),
  changeTool('pause', 'Ends an operation that waits or runs, and keeps what it has fetched.'),
  changeTool('dismiss', 'Acknowledges a failed operation: it goes to the history.'),
]

function changeTool(verb: 'cancel' | 'pause' | 'dismiss', description: string): AssistantTool {
  return defineRouteTool({
    name: `${verb}_operation`,
    title: `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)} an operation`,
    description,
    effect: verb === 'cancel' ? 'destructive' : 'write',
    input: { id: name('Id of the operation.') },
    route: `POST /api/operations/:jobID/${verb}`,
    toRequest: ({ id }) => ({ params: { jobID: id } }),
  })
}

async function follow(id: string, seconds: number, context: ToolContext): Promise<unknown> {
  let shown = -1
  for (let left = seconds * 1000; ; left -= LOOK_MS) {
    const running = await find(RUNNING, id, context)
    if (running === undefined || running.error !== undefined) {
      const finished = running ?? (await find(FINISHED, id, context))
      return finished === undefined
        ? { found: false, message: `there is no operation ${id}` }
        : { ended: true, ...finished }
    }
    if (left <= 0) return { ended: false, ...running }
    const { progress = 0 } = running
    if (progress !== shown) context.progress(`${progress} %`, { done: progress, total: 100 })
    shown = progress
    await context.sleep(LOOK_MS)
  }
}

async function find(route: string, id: string, { request }: ToolContext): Promise<Operation | undefined> {
  const { data } = operations.safeParse((await request({ route })).json)
  return data?.operations.find(({ jobID }) => jobID === id)
}
