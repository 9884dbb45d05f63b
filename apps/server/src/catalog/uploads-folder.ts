/**
 * Where files that are being sent lie: hidden, so that nothing in it counts as a model, and in the models folder, so that
 * a finished file is only moved.
 */
export const UPLOADS_FOLDER = '.uploads'
