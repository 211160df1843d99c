/** The size of all metadata of one owner, as JSON. */
export const MAX_METADATA_CHARACTERS = 256 * 1024
/** Plain and protected keys together. */
export const MAX_METADATA_KEYS = 2000
