import { findFreePort } from '../../src/backends/endpoint.ts'
import { type ProxyPlace, type SwitchableProxy, startSwitchableProxy } from '../support/switchable-proxy.ts'

/** Ports of the backends of a worker. */
export const WORKER_PORTS = 16
/** How far above the port of a backend the relay is that leads to it. */
export const RELAY_DISTANCE = 64

/** One way or several that are spoilt together. */
export type Link = Omit<SwitchableProxy, 'port' | typeof Symbol.asyncDispose>

/** The ways between the programs of a cluster. */
export interface Links extends AsyncDisposable {
  /** Of each front end. */
  readonly database: readonly SwitchableProxy[]
  /** Of each front end, and then of each worker. */
  readonly bus: readonly SwitchableProxy[]
  /** Of each worker to a front end. */
  readonly register: readonly SwitchableProxy[]
  /** Of all front ends to the backends of each worker and to its files. */
  readonly worker: readonly Link[]
  /** All ways of each worker. */
  readonly network: readonly Link[]
  /** Where each worker takes files, and where front ends are told that it does. */
  readonly files: readonly { readonly port: number; readonly told: number }[]
}

/** Addresses that the links lead to. */
interface LinkTargets {
  readonly databaseUrl: string
  readonly natsUrl: string
  readonly frontEndPorts: readonly number[]
  /** First ports of the backends of each worker: it may get any of them. */
  readonly workerPorts: readonly (readonly number[])[]
}

/** Opens a relay for every way between two programs. */
export async function openLinks({ databaseUrl, natsUrl, frontEndPorts, workerPorts }: LinkTargets): Promise<Links> {
  const all: SwitchableProxy[] = []
  const open = async (target: number, place?: ProxyPlace): Promise<SwitchableProxy> => {
    const link = await startSwitchableProxy(target, place)
    all.push(link)
    return link
  }
  const [database, bus, register] = await Promise.all([
    Promise.all(frontEndPorts.map(() => open(portOf(databaseUrl)))),
    Promise.all([...frontEndPorts, ...workerPorts].map(() => open(portOf(natsUrl)))),
    Promise.all(workerPorts.map((_, index) => open(frontEndPorts[index % frontEndPorts.length] ?? 0))),
  ])
  const opened = await Promise.all(
    workerPorts.map(async (bases) => {
      const filesPort = await findFreePort()
      const told = await open(filesPort)
      const ports = bases.flatMap((base) => Array.from({ length: WORKER_PORTS }, (_, offset) => base + offset))
      const backends = await Promise.all(ports.map((port) => open(port, { port: port + RELAY_DISTANCE })))
      return { files: { port: filesPort, told: told.port }, ways: [told, ...backends] }
    }),
  )
  return {
    database,
    bus,
    register,
    files: opened.map(({ files }) => files),
    worker: opened.map(({ ways }) => bundle(ways)),
    network: opened.map(({ ways }, index) => {
      const [toBus, toFrontEnd] = [bus[frontEndPorts.length + index], register[index]]
      if (toBus === undefined || toFrontEnd === undefined) throw new Error(`worker ${index} has no links`)
      return bundle([...ways, toBus, toFrontEnd])
    }),
    async [Symbol.asyncDispose]() {
      for (const link of all) await link[Symbol.asyncDispose]()
    },
  }
}

/** Leads an address through a link. */
export function throughLink(url: string, { port }: { readonly port: number }): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

const portOf = (url: string): number => Number(new URL(url).port)

function bundle(links: readonly SwitchableProxy[]): Link {
  const all = (act: (link: SwitchableProxy) => void): void => {
    for (const link of links) act(link)
  }
  return {
    shut: () => all((link) => link.shut()),
    hang: (which) => all((link) => link.hang(which)),
    slow: (pace) => all((link) => link.slow(pace)),
    open: () => all((link) => link.open()),
  }
}
