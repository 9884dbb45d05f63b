import { expect, it } from 'vitest'
import { createMetrics } from '../../monitoring/metrics.ts'
import type { Replica } from '../contract/nodes.ts'
import { createNodeFigures } from './node-figures.ts'
import { NO_RESOURCES, type NodeRecord } from './node-record.ts'

const node = (name: string, fields: Partial<NodeRecord> = {}) =>
  ({ ...NO_RESOURCES, id: `id-${name}`, name, status: 'healthy', ...fields }) as NodeRecord
const replica = (nodeId: string, inFlight: number) => ({ nodeId, inFlight }) as Replica

async function scrape(nodes: readonly NodeRecord[] | Error, replicas: readonly Replica[] = []): Promise<string> {
  const metrics = createMetrics()
  metrics.server.showLabelled(
    createNodeFigures({
      nodes: {
        directory: { list: () => (nodes instanceof Error ? Promise.reject(nodes) : Promise.resolve(nodes)) },
        replicas: { list: () => Promise.resolve(replicas) },
      } as unknown as Parameters<typeof createNodeFigures>[0]['nodes'],
      clock: { monotonic: () => 0 },
      logger: { warn: () => undefined },
    }),
  )
  return (await metrics.registry()).metrics()
}

it('shows the state, memory, replicas and requests of each worker', async () => {
  const one = node('w1', { status: 'draining', availableVram: 5, totalVram: 9, availableRam: 7, availableDisk: 8 })
  const text = await scrape([one, node('w2')], [replica('id-w1', 2), replica('id-w1', 3)])
  for (const line of [
    'svc_node_state{node="w1",state="draining"} 1',
    'svc_node_state{node="w1",state="healthy"} 0',
    'svc_node_free_bytes{node="w1",resource="vram"} 5',
    'svc_node_free_bytes{node="w1",resource="ram"} 7',
    'svc_node_free_bytes{node="w1",resource="disk"} 8',
    'svc_node_size_bytes{node="w1",resource="vram"} 9',
    'svc_node_replicas{node="w1"} 2',
    'svc_node_replicas{node="w2"} 0',
    'svc_node_requests_running{node="w1"} 5',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
})

it('gives workers beyond two hundred one label, and goes on without the database', async () => {
  const nodes = Array.from({ length: 203 }, (_, index) => node(`w${index}`, { availableRam: 1 }))
  const text = await scrape(nodes, [replica('id-w201', 4)])
  expect(text.match(/^svc_node_replicas\{/gm)).toHaveLength(201)
  expect(text).toContain('svc_node_free_bytes{node="other",resource="ram"} 3\n')
  expect(text).toContain('svc_node_state{node="other",state="healthy"} 3\n')
  expect(text).toContain('svc_node_requests_running{node="other"} 4\n')
  expect(await scrape(new Error('the database is away'))).not.toContain('svc_node_state{')
})
