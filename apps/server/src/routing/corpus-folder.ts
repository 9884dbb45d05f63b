/** The folder of the labelled texts of routers, in the data path. */
export const CORPUS_FOLDER = 'router-corpus'
