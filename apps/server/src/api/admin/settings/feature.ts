import { untilAborted } from '../../../concurrency/until-aborted.ts'
import type { SettingKey } from '../../../config/schema.ts'
import type { GalleryIndexes } from '../../../galleries/gallery-indexes.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { checkNamed, findNamedFaults, type NamedThings } from './check-values.ts'
import { settingsRoutes } from './settings.ts'

/** Runtime settings over HTTP. */
export function settingsFeature(platform: Platform): ServerFeature {
  const { config, settings, modelGallery, backendGallery, modelFiles, interception, bodies } = platform
  if (config.disableRuntimeSettings) return {}
  const things: NamedThings = {
    modelIndexes: modelGallery.indexes,
    backendIndexes: backendGallery.indexes,
    findModel: (name) => modelFiles.get(name),
  }
  const findFaults = (key: SettingKey): readonly string[] => findNamedFaults(key, settings.get(key), things)
  return {
    routes: settingsRoutes({
      settings,
      bodies,
      findProblems(key) {
        if (key === 'galleries') return describeProblems(modelGallery.indexes)
        if (key === 'backend_galleries') return describeProblems(backendGallery.indexes)
        return key === 'mitm_listen' ? [interception.fault ?? []].flat() : findFaults(key)
      },
      check: (key, value) => checkNamed(key, value, settings.snapshot().get(key)?.value, things),
      findWarnings: findFaults,
      async restart(key, { hasChanged, signal }) {
        if (key !== 'mitm_listen') return undefined
        if (!hasChanged) interception.follow(settings.get('mitm_listen'))
        await untilAborted(interception.settled(), signal)
        return interception.fault
      },
    }),
  }
}

function describeProblems(indexes: Pick<GalleryIndexes<unknown>, 'states'>): readonly string[] {
  return indexes.states().flatMap(({ gallery, error, warnings }) => {
    const found = error === undefined ? warnings : [error, ...warnings]
    return found.map((problem) => `${gallery.name}: ${problem}`)
  })
}
