import type { LoadedModel } from './server-state.ts'

/**
 * The figures that some loaded model has. Models inside the server have no figures; an empty column would be useless.
 */
export function findFigures(models: readonly LoadedModel[]): {
  readonly hasProcess: boolean
  readonly hasVram: boolean
} {
  return {
    hasProcess: models.some(({ process }) => process !== undefined),
    hasVram: models.some(({ size_vram: bytes }) => bytes !== undefined),
  }
}
