package resolvers

// maxMediaIDs is how many files of a media library are asked for by their ids.
const maxMediaIDs = 200
