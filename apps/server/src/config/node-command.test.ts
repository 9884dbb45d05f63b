import { expect, it } from 'vitest'
import { loadConfig } from './load.ts'

const read = (...argv: string[]) => {
  const command = loadConfig({ argv, env: {}, cwd: '/' })
  if (command.kind === 'usage-error') return command.message
  return command.kind === 'nodes' ? [command.command, command.json] : command.kind
}

it('reads commands about workers', () => {
  expect(read('nodes', 'list', '--json')).toEqual([{ verb: 'nodes list' }, true])
  expect(read('nodes', 'drain', 'w1')).toEqual([{ verb: 'nodes drain', node: 'w1' }, false])
  expect(read('nodes', 'labels', 'w1', 'tier=a=b', 'zone-', 'rack=')).toEqual([
    { verb: 'nodes labels', node: 'w1', added: { tier: 'a=b', rack: '' }, removed: ['zone'] },
    false,
  ])
  expect(read('nodes', 'scheduling')).toEqual([
    { verb: 'nodes scheduling', model: undefined, change: undefined },
    false,
  ])
  const flags = ['--min-replicas=1', '--max-replicas=3', '--selector', 'tier=fast,zone=a', '--route-policy=round_robin']
  expect(read('nodes', 'scheduling', 'a/b', ...flags)).toEqual([
    {
      verb: 'nodes scheduling',
      model: 'a/b',
      change: {
        min_replicas: 1,
        max_replicas: 3,
        node_selector: { tier: 'fast', zone: 'a' },
        route_policy: 'round_robin',
      },
    },
    false,
  ])
  expect(read('nodes', 'scheduling', 'm', '--clear')).toMatchObject([{ change: 'clear' }, false])
})

it.each([
  [['nodes', 'list', 'all'], 'nodes list takes nothing'],
  [['nodes', 'approve'], 'nodes approve takes one NODE'],
  [['nodes', 'drain', 'a', 'b'], 'nodes drain takes one NODE'],
  [['nodes', 'labels', 'a', 'tier'], 'nodes labels: "tier" is neither KEY=VALUE nor KEY-'],
  [['nodes', 'scheduling', '--spread-all'], '--spread-all needs a MODEL'],
  [['nodes', 'scheduling', 'm', '--clear', '--spread-all'], '--clear goes alone'],
  [['nodes', 'scheduling', 'm', '--min-replicas=-1'], '--min-replicas: "-1" is not a number'],
  [['nodes', 'scheduling', 'm', '--selector', 'tier'], '--selector: "tier" is not KEY=VALUE'],
  [['nodes', 'list', '--clear'], '--clear does not belong to nodes list'],
])('refuses %j', (argv, message) => {
  expect(read(...argv)).toBe(message)
})
