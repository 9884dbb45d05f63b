import { openModelFolder, withOpenFile } from '../../../catalog/model-folder.ts'
import { isGgufName } from '../../../catalog/to-model-config.ts'
import { readShape } from '../../../galleries/read-shape.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { backendListRoutes } from './backend-list-routes.ts'
import { backendJobRoutes } from './backend-routes.ts'
import { importRoutes } from './import-routes.ts'
import { modelJobRoutes } from './model-job-routes.ts'
import { modelListRoutes } from './model-list-routes.ts'

/** Galleries over HTTP; `--disable-gallery-endpoint` leaves them out. */
export function galleriesFeature(platform: Platform): ServerFeature {
  const {
    config,
    settings,
    modelGallery: gallery,
    backendGallery,
    modelFiles,
    operations,
    bodies,
    backends,
    log,
  } = platform
  const stopping = new AbortController()
  /** Not waited for: the server serves without its galleries. */
  const fetchIndexes = (): void => {
    const wanted = [
      ...(settings.get('autoload_galleries') ? [gallery.indexes] : []),
      ...(settings.get('autoload_backend_galleries') ? [backendGallery.indexes] : []),
    ]
    for (const indexes of wanted) {
      indexes
        .list({ signal: stopping.signal })
        .catch((error: unknown) => log.debug({ err: error }, 'the galleries were not fetched'))
    }
  }
  return {
    routes: config.disableGalleryEndpoint
      ? []
      : [
          ...modelJobRoutes({ gallery, modelFiles, operations, bodies }),
          ...importRoutes({ gallery, bodies }),
          ...modelListRoutes({
            gallery,
            modelFiles,
            operations,
            bodies,
            memory: () => backends.memory.main(),
            async installedShape(name) {
              const model = modelFiles.get(name)
              const file = model?.parameters.model
              if (model === undefined || file === undefined || !isGgufName(file)) return undefined
              const found = openModelFolder(model.folder).find(file)
              return found?.found === true ? withOpenFile(found, readShape) : undefined
            },
          }),
          ...backendJobRoutes({ gallery: backendGallery, operations, bodies }),
          ...backendListRoutes({
            gallery: backendGallery,
            operations,
            bodies,
            prefersDevelopment: () => settings.get('prefer_development_backends'),
            developmentSuffix: config.backendDevSuffix,
          }),
        ],
    start: fetchIndexes,
    settingsChanged(changed) {
      if (changed.has('galleries') || changed.has('backend_galleries')) fetchIndexes()
    },
    drain: () => stopping.abort(),
  }
}
