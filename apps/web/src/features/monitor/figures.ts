import { findFigures } from '../../lib/model-figures.ts'
import type { LoadedModel, Resources } from '../../lib/server-state.ts'

/** A level with its name, as a gauge shows it. */
export interface Gauge {
  readonly id: string
  /** `cpu`, `ram` and `disk` have texts of their own; a graphics device brings its name. */
  readonly name: string | undefined
  /** 0 to 100; undefined while it is measured, and where it cannot be read. */
  readonly percent: number | undefined
  readonly used?: number | undefined
  readonly total?: number | undefined
  /** Whether a history is worth a line. */
  readonly hasHistory: boolean
}

/** The gauges of the host: processors, memory, disk, and each graphics device. */
export function listGauges({ cpu, ram, disk, gpus }: Resources): Gauge[] {
  // memory that the system keeps for itself is not free either
  const taken = disk && disk.total - disk.available
  return [
    { id: 'cpu', name: undefined, percent: cpu.usage_percent, hasHistory: true },
    {
      id: 'ram',
      name: undefined,
      percent: ram?.usage_percent,
      used: ram?.used,
      total: ram?.total,
      hasHistory: ram !== undefined,
    },
    {
      id: 'disk',
      name: undefined,
      percent: taken === undefined || disk?.total === 0 ? undefined : (taken / (disk?.total ?? 1)) * 100,
      used: taken,
      total: disk?.total,
      hasHistory: disk !== undefined,
    },
    ...gpus.map(
      ({ index, name, usage_percent: percent, used_vram: used, total_vram: total }): Gauge => ({
        id: `gpu-${index}`,
        name: `${index}: ${name}`,
        percent,
        used,
        total,
        hasHistory: true,
      }),
    ),
  ]
}

/** Figures of loaded models, in the order of the table. */
export const FIGURES = ['pid', 'rss', 'memory', 'cpu', 'vram', 'uptime'] as const
export type FigureName = (typeof FIGURES)[number]

/** The columns of figures that some model has. */
export function listFigures(models: readonly LoadedModel[]): readonly FigureName[] {
  const { hasProcess, hasVram } = findFigures(models)
  return FIGURES.filter((name) => (name === 'vram' ? hasVram : hasProcess))
}

/** A figure of a process: a number, or the reason why it is missing. */
export type ProcessFigure = number | 'measuring' | 'unknown'

/** Share of the host's processors. The first sample of a process has no share. */
export function readCpu({ process }: LoadedModel): ProcessFigure {
  return process === undefined ? 'unknown' : (process.cpu_percent ?? 'measuring')
}

/** Device memory: absent means unknown, 0 means no device memory. */
export function readVram({ size_vram: bytes }: LoadedModel): ProcessFigure {
  return bytes ?? 'unknown'
}
