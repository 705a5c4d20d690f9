/** In a bundle, the authorities that mysql2 brings under a name which no connection gives (180 KB): a database's record has its own. */
export default { ca: [] };
