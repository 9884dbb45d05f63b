import type { Gallery } from '../../../galleries/gallery.ts'
import type { GalleryIndexes, GalleryState } from '../../../galleries/gallery-indexes.ts'

type States = Pick<GalleryIndexes<unknown>, 'states'>

/** Lists galleries as they are configured, with their faults. */
export function listGalleries(indexes: States): (Gallery & Problem)[] {
  return indexes.states().map((state) => ({ ...state.gallery, ...toWireProblem(state) }))
}

/** Lists the names and addresses of galleries, with their faults. */
export function listRepositories(indexes: States): (Pick<Gallery, 'name' | 'url'> & Problem)[] {
  return indexes.states().map((state) => {
    const { name, url } = state.gallery
    return { name, url, ...toWireProblem(state) }
  })
}

interface Problem {
  readonly error?: string
  readonly warnings?: string[]
}

/** Gives the faults of a gallery as replies carry them; an empty object for a gallery without faults. */
function toWireProblem({ error, warnings }: GalleryState): Problem {
  return {
    ...(error === undefined ? {} : { error }),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  }
}
