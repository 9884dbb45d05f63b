import { setTimeout as sleep } from 'node:timers/promises'
import type { Link } from './links.ts'
import type { Plan } from './plan.ts'
import type { World } from './world.ts'

/** What was hit, and how to bring it back. */
export interface Blow {
  readonly target: string
  /** Front end that is away until it is brought back. */
  readonly frontEnd?: number | undefined
  heal(): Promise<void>
}

/** Hits the victim of a plan. @param holder index of the worker that has the first model */
export async function strike(world: World, plan: Plan, holder: number): Promise<Blow> {
  const { victim, way, dice } = plan
  switch (victim) {
    case 'front end': {
      const index = dice.below(2)
      const server = world.frontEnd(index)
      if (way === 'freeze') return { ...freeze([server.pid], `front end ${index}`), frontEnd: index }
      await server.kill()
      return { target: `front end ${index}`, frontEnd: index, heal: () => world.restartFrontEnd(index) }
    }
    case 'worker': {
      const worker = world.worker(holder)
      if (way === 'freeze') return freeze([worker.pid], `worker ${holder}`)
      await worker.end('SIGKILL')
      const samePort = dice.below(2) === 0
      return { target: `worker ${holder}`, heal: () => world.restartWorker(holder, { samePort }) }
    }
    case 'backend': {
      const pids = await findBackends(world, holder)
      const pid = pids[dice.below(pids.length)]
      const target = `backend of worker ${holder}`
      if (pid === undefined) return { target: `no ${target}`, heal: async () => {} }
      if (way === 'freeze') return freeze([pid], target)
      send(pid, 'SIGKILL')
      return { target, heal: async () => {} }
    }
    case 'database link':
      return strikeLink(world.links.database, plan, dice.below(2))
    case 'bus link':
      return strikeLink(world.links.bus, plan, dice.below(4))
    case 'worker link':
      return strikeLink(world.links.worker, plan, holder)
    case 'worker network':
      return strikeLink(world.links.network, plan, holder)
    case 'postgres':
    case 'nats': {
      const engine = world.cluster[victim]
      if (way === 'freeze') engine.freeze()
      else await engine.kill()
      return { target: victim, heal: () => engine.resume() }
    }
  }
}

/** A link that hung either goes on where it was, or has lost its connections. */
function strikeLink(links: readonly Link[], { way, dice }: Plan, index: number): Blow {
  const link = links[index]
  if (link === undefined) throw new Error(`there is no link ${index}`)
  const goesOn = way === 'slow' || (way !== 'cut' && dice.below(2) === 0)
  const how = obstruct(link, way, dice)
  return {
    target: `link ${index}${how}`,
    async heal() {
      if (!goesOn) link.shut()
      link.open()
    },
  }
}

/** Spoils a link. @returns details, for the record */
function obstruct(link: Link, way: Plan['way'], dice: Plan['dice']): string {
  if (way === 'hang') link.hang()
  else if (way === 'half-open') {
    const which = (['open', 'to server', 'to client'] as const)[dice.below(3)] ?? 'open'
    link.hang(which)
    return `, ${which}`
  } else if (way === 'slow') {
    const pace = { delayMs: 20 + dice.below(280), bytesPerSecond: 2 ** (14 + dice.below(7)) }
    link.slow(pace)
    return `, ${pace.delayMs} ms and ${pace.bytesPerSecond} bytes/s`
  } else link.shut()
  return ''
}

/** The processes of a worker; waits a little for the first one. */
async function findBackends(world: World, holder: number): Promise<readonly number[]> {
  for (let look = 0; look < 100; look += 1) {
    const pids = world.worker(holder).backends()
    if (pids.length > 0) return pids
    await sleep(20)
  }
  return []
}

function freeze(pids: readonly number[], target: string): Blow {
  for (const pid of pids) send(pid, 'SIGSTOP')
  return {
    target,
    async heal() {
      for (const pid of pids) send(pid, 'SIGCONT')
    },
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // it has ended meanwhile
  }
}
