import type { Worker } from '../../lib/workers.ts'
import type { NodesSearch } from './search.ts'

/** A resource of a worker, in bytes. */
export interface Resource {
  readonly id: 'vram' | 'ram' | 'disk'
  readonly total: number
  readonly free: number
  /** What running loads will take, a part of what is free. */
  readonly reserved: number
}

/** The resources of a worker whose size is known. */
export function listResources(worker: Worker): readonly Resource[] {
  const toResource = (id: Resource['id'], total: number, free: number, reserved = 0): readonly Resource[] => {
    if (total <= 0) return []
    const left = Math.min(total, Math.max(0, free))
    return [{ id, total, free: left, reserved: Math.min(left, Math.max(0, reserved)) }]
  }
  return [
    ...toResource('vram', worker.total_vram, worker.available_vram, worker.reserved_vram),
    ...toResource('ram', worker.total_ram, worker.available_ram),
    ...toResource('disk', worker.total_disk, worker.available_disk),
  ]
}

/** Whether the server gives a label itself, from what the worker says of its hardware and its slots. */
export function isFixedLabel(key: string): boolean {
  return /^(?:node|gpu)\./.test(key)
}

/** The labels that people give, by name. */
export function listOwnLabels({ labels }: Pick<Worker, 'labels'>): readonly (readonly [key: string, value: string])[] {
  return Object.entries(labels)
    .filter(([key]) => !isFixedLabel(key))
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

/** A label as rules and lists write it. */
export function writeLabel([key, value]: readonly [key: string, value: string]): string {
  return value === '' ? key : `${key}=${value}`
}

/** Workers whose name, address, capability or labels hold a text, in a state. Those that wait for approval come first. */
export function selectWorkers(workers: readonly Worker[], { q = '', state }: NodesSearch): readonly Worker[] {
  const term = q.toLowerCase()
  const shown = workers.filter((worker) => {
    if (state !== undefined && worker.status !== state) return false
    const { name, address, capability = '', labels } = worker
    const texts = [name, address, capability, ...Object.entries(labels).map(writeLabel)]
    return texts.some((text) => text.toLowerCase().includes(term))
  })
  const isWaiting = (worker: Worker) => Number(worker.status === 'pending')
  return [...shown].sort((one, other) => isWaiting(other) - isWaiting(one))
}
