import { expect, it } from 'vitest'
import { loadConfig } from '../config/load.ts'
import { StartRefused } from '../config/start-refused.ts'
import { readWorkerConfig, type WorkerConfig } from './worker-config.ts'

const ENOUGH = {
  SVC_REGISTER_TO: 'http://front:8080/svc/',
  SVC_REGISTRATION_TOKEN: 'token',
  SVC_NATS_URL: 'nats://bus:4222',
}

function read(argv: readonly string[], env: Readonly<Record<string, string>> = ENOUGH): WorkerConfig {
  const command = loadConfig({ argv: ['worker', ...argv], env, cwd: '/srv' })
  if (command.kind !== 'worker') throw new Error(JSON.stringify(command))
  return readWorkerConfig(command.config, { hostName: 'machine' })
}

function refusal(argv: readonly string[], env?: Readonly<Record<string, string>>): string {
  try {
    read(argv, env)
  } catch (error) {
    if (error instanceof StartRefused && error.exitCode === 78) return error.message
    throw error
  }
  throw new Error('it was not refused')
}

it('names everything that is missing', () => {
  const message = refusal([], {})
  for (const name of ['--register-to', 'SVC_REGISTRATION_TOKEN', '--insecure-no-token', 'SVC_NATS_URL']) {
    expect(message).toContain(name)
  }
  expect(refusal([], { ...ENOUGH, SVC_NATS_URL: 'http://bus' })).toContain('nats://host:port')
  expect(refusal([], { ...ENOUGH, SVC_NATS_JWT: 'x' })).toContain('SVC_NATS_USER_SEED')
  expect(refusal(['--grpc-max-port=100'])).toContain('--grpc-max-port')
  expect(refusal(['--addr=:5000'])).toContain('--addr')
})

it('starts without a token only when it is told so', () => {
  const { SVC_REGISTRATION_TOKEN: _, ...rest } = ENOUGH
  expect(refusal([], rest)).toContain('SVC_REGISTRATION_TOKEN')
  expect(read(['--insecure-no-token'], rest).token).toBe('')
})

it('has defaults for everything else', () => {
  expect(read([])).toEqual({
    registerTo: 'http://front:8080/svc/',
    name: 'machine',
    token: 'token',
    address: 'machine:50051',
    httpAddress: 'machine:50050',
    serve: { host: '0.0.0.0', firstPort: 50_051, lastPort: 65_535 },
    http: { host: '0.0.0.0', port: 50_050 },
    heartbeatMs: 10_000,
    labels: {},
    maxReplicas: 1,
    vramBudget: '',
    bus: { url: 'nats://bus:4222', tls: {}, credentials: undefined, needsCredentials: true },
  })
})

it.each<[readonly string[], Partial<WorkerConfig>]>([
  [
    ['--addr=127.0.0.1:26051'],
    {
      address: '127.0.0.1:26051',
      httpAddress: '127.0.0.1:26050',
      serve: { host: '127.0.0.1', firstPort: 26_051, lastPort: 65_535 },
      http: { host: '127.0.0.1', port: 26_050 },
    },
  ],
  [
    ['--addr=gpu-1.lan:7000', '--http-addr=:7500'],
    {
      address: 'gpu-1.lan:7000',
      httpAddress: 'gpu-1.lan:7500',
      serve: { host: '0.0.0.0', firstPort: 7000, lastPort: 65_535 },
      http: { host: '0.0.0.0', port: 7500 },
    },
  ],
  [
    ['--serve-addr=10.0.0.7:6000', '--advertise-addr=outside:9000', '--grpc-max-port=6010'],
    {
      address: 'outside:9000',
      httpAddress: 'outside:5999',
      serve: { host: '10.0.0.7', firstPort: 6000, lastPort: 6010 },
    },
  ],
  [['--advertise-http-addr=outside:80'], { httpAddress: 'outside:80' }],
  [['--serve-addr=[::1]:6000'], { address: '[::1]:6000', serve: { host: '::1', firstPort: 6000, lastPort: 65_535 } }],
])('%j says where it is found', (argv, expected) => {
  expect(read(argv)).toMatchObject(expected)
})

it('reads labels and variables', () => {
  const config = read(['--node-labels', 'zone=a, tier=fast', '--node-labels=rack='], {
    SVC_REGISTER_TO: 'http://front',
    SVC_REGISTRATION_TOKEN: 'other',
    SVC_NATS_URL: 'nats://me:secret@bus',
    SVC_MAX_REPLICAS_PER_MODEL: '3',
    SVC_HEARTBEAT_INTERVAL: '1ms',
  })
  expect(config).toMatchObject({
    token: 'other',
    labels: { zone: 'a', tier: 'fast', rack: '' },
    maxReplicas: 3,
    heartbeatMs: 100,
    bus: { needsCredentials: false },
  })
  expect(loadConfig({ argv: ['worker', '--node-labels=x'], env: ENOUGH, cwd: '/' })).toMatchObject({
    kind: 'usage-error',
  })
})

it('has a help text of its own', () => {
  const help = loadConfig({ argv: ['worker', '--help'], env: {}, cwd: '/' })
  expect(help).toMatchObject({ kind: 'help' })
  const text = help.kind === 'help' ? help.text : ''
  for (const flag of ['--register-to', '--registration-token', '--nats-url', '--models-path']) {
    expect(text).toContain(flag)
  }
  expect(text).not.toContain('--cors')
})
