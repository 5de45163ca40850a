package sqlrole

// EndOver is endOver.
var EndOver = endOver
