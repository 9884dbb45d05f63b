/** Largest image. */
export const MAX_ASSET_BYTES = 5 * 1024 * 1024
