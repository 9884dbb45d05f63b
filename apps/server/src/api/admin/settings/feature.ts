import type { SettingKey } from '../../../config/schema.ts'
import type { ServerFeature } from '../../../features/feature.ts'
import type { GalleryIndexes } from '../../../galleries/gallery-indexes.ts'
import type { Platform } from '../../../platform/platform.ts'
import { settingsRoutes } from './settings.ts'

/** Runtime settings over HTTP. */
export function settingsFeature(platform: Platform): ServerFeature {
  const { config, settings, modelGallery, backendGallery, bodies } = platform
  if (config.disableRuntimeSettings) return {}
  const findProblems = (key: SettingKey): readonly string[] => {
    if (key === 'galleries') return describeProblems(modelGallery.indexes)
    return key === 'backend_galleries' ? describeProblems(backendGallery.indexes) : []
  }
  return { routes: settingsRoutes(settings, bodies, findProblems) }
}

function describeProblems(indexes: Pick<GalleryIndexes<unknown>, 'states'>): readonly string[] {
  return indexes.states().flatMap(({ gallery, error, warnings }) => {
    const found = error === undefined ? warnings : [error, ...warnings]
    return found.map((problem) => `${gallery.name}: ${problem}`)
  })
}
